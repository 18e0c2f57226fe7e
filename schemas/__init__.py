"""What every table, stream and query is: plain data, standard library only."""

if __name__ == "schemas":
    from windrow.former_names import take_over

    take_over(__name__)
