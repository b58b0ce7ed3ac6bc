"""The compiler: source -> syntax -> layers -> check -> lower -> IR -> emit -> build, one pass per module."""
