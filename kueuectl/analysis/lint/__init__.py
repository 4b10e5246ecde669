"""What an administrator should look at in a configuration. Pure, as all of analysis; English is made in report."""
