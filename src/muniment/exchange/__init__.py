"""Documents from outside: read strictly, or refused with every reason and its place."""
