"""``python -m puselect``: the command line."""

from puselect.cli import main

main()
