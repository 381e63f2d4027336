"""`sakshya index`"""
