"""What an administrator asks: explanations and proposals made from the engine's decisions. Pure: no clock, no I/O."""
