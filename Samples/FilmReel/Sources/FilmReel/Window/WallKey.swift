/// A key that the wall handles. The raw value is the keysym of the X11 protocol.
enum WallKey: UInt32 {
    case left = 0xff51
    case up = 0xff52
    case right = 0xff53
    case down = 0xff54
    case pageUp = 0xff55
    case pageDown = 0xff56
    case home = 0xff50
    case end = 0xff57
    case enter = 0xff0d
    case keypadEnter = 0xff8d
    case escape = 0xff1b
    case space = 0x20
    case i = 0x69
    case p = 0x70
    case q = 0x71
}
