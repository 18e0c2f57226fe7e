"""What every table, stream and query is: plain data, standard library only."""
