"""The translator: a back end that turns the IR into Python source, function by function, when each first runs."""
