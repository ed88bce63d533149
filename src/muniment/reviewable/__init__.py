"""What a reviewer should see of a change, whatever the door: how it stands, what differs, what its source says now.

- Nothing is decided here, and nothing drawn: the command line and the page draw it in their own ways.
"""
