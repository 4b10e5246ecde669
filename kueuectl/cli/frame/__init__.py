"""What all commands stand on: flags, the run object, lazy groups, loading and output. No command lives in here."""
