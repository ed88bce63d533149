def main() -> None:
    """Run the shop."""
