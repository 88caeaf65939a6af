"""The platform as its users meet it: whole partitions, real servers, the command line."""
