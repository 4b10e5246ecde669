"""What it looks like: views, sentences, tables and machine formats. Decides nothing."""
