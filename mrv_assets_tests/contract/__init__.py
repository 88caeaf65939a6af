"""What every implementation of a seam must do, whichever it is."""
