"""What is said and known in a conversation.

Acts, turns, the preference state, the public view, policies.
"""
