"""What keeps the project honest: run by make and by the tests, never shipped."""
