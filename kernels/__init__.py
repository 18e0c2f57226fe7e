if __name__ == "kernels":
    from windrow.former_names import take_over

    take_over(__name__)
