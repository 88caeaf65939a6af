"""Disclosures and submissions: what is told to others about one sealed certificate, each in the form that they ask for.

Pure: the same certificate, evidence and vintages give the same bytes; dates come from the evidence. Each document
carries the sha256 of the certificate. What does not belong here: computing a figure, and sending anything.
"""
