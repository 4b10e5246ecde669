"""The commands: parse, load, call one pure function, print. No rule of Kueue in here."""
