"""What an early answer lets expect of the final one, by the history of arrivals."""
