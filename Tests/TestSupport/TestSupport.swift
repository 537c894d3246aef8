// placeholder until the rig lands
