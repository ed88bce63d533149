"""The commands, a module for each family; each command is a function with `muniment.cli.options.command`."""
