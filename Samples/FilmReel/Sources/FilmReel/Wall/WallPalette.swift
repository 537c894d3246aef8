/// The colours of the wall, as 0xRRGGBB.
enum WallPalette {
    static let background: UInt32 = 0x14161a
    static let placeholder: UInt32 = 0x22262d
    static let failure: UInt32 = 0x3a2328
    static let selection: UInt32 = 0xe8b64c
    static let bar: UInt32 = 0x1b1e24
    static let thumb: UInt32 = 0x59606c
    static let text: UInt32 = 0xd7dbe2
}
