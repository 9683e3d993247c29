"""What a set of domains is in figures, as ScaleEnv's appendix shows its own: tables 8 and 9, figures 4 and 5.

`facts` reads them from the folders -> `tables` has them as columns and CSV; `projection` places tools by their words ->
`draw_tools` and `draw_structure` are the pictures, on what `svg` has in common.
"""
