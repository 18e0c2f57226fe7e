"""Window kinds as closed forms: one file = one kind; kernels see a window as a block of words and switch on
its mode.

A window has a number: for tumbling, sliding and calendar windows a running index, for rolling windows the
    event time u itself.
Starts and ends never fall as the number rises, so "the windows that hold t" is always a range of numbers.
"""
