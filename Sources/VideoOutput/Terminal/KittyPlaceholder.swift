import SharedFrames

/// Characters that the terminal replaces by a kitty image. A multiplexer treats them as text: it moves them with its
/// pane and hides them in other windows, and the image follows.
enum KittyPlaceholder {
    /// The placeholder (U+10EEEE). Its foreground colour is the number of the image.
    private static let scalar: UInt32 = 0x10eeee
    /// The combining marks of the kitty graphics protocol that state the row of a line's first placeholder, indexed by
    /// the row.
    private static let rowMarks: [UInt32] = [
        0x0305, 0x030d, 0x030e, 0x0310, 0x0312, 0x033d, 0x033e, 0x033f, 0x0346, 0x034a, 0x034b, 0x034c, 0x0350, 0x0351,
        0x0352, 0x0357, 0x035b, 0x0363, 0x0364, 0x0365, 0x0366, 0x0367, 0x0368, 0x0369, 0x036a, 0x036b, 0x036c, 0x036d,
        0x036e, 0x036f, 0x0483, 0x0484, 0x0485, 0x0486, 0x0487, 0x0592, 0x0593, 0x0594, 0x0595, 0x0597, 0x0598, 0x0599,
        0x059c, 0x059d, 0x059e, 0x059f, 0x05a0, 0x05a1, 0x05a8, 0x05a9, 0x05ab, 0x05ac, 0x05af, 0x05c4, 0x0610, 0x0611,
        0x0612, 0x0613, 0x0614, 0x0615, 0x0616, 0x0617, 0x0657, 0x0658, 0x0659, 0x065a, 0x065b, 0x065d, 0x065e, 0x06d6,
        0x06d7, 0x06d8, 0x06d9, 0x06da, 0x06db, 0x06dc, 0x06df, 0x06e0, 0x06e1, 0x06e2, 0x06e4, 0x06e7, 0x06e8, 0x06eb,
        0x06ec, 0x0730, 0x0732, 0x0733, 0x0735, 0x0736, 0x073a, 0x073d, 0x073f, 0x0740, 0x0741, 0x0743, 0x0745, 0x0747,
        0x0749, 0x074a, 0x07eb, 0x07ec, 0x07ed, 0x07ee, 0x07ef, 0x07f0, 0x07f1, 0x07f3, 0x0816, 0x0817, 0x0818, 0x0819,
        0x081b, 0x081c, 0x081d, 0x081e, 0x081f, 0x0820, 0x0821, 0x0822, 0x0823, 0x0825, 0x0826, 0x0827, 0x0829, 0x082a,
        0x082b, 0x082c, 0x082d,
    ]

    /// The maximum number of rows of an image.
    static var maximumRowCount: Int { rowMarks.count }

    /// Appends the placeholders of an image. The terminal numbers the columns of a line itself.
    ///
    /// - Parameters:
    ///   - cells: The cells that the image covers, with ``maximumRowCount`` rows at most.
    ///   - imageNumber: The number of the image, 16 to 255.
    static func draw(_ cells: PixelRect, imageNumber: Int, into out: inout TerminalBytes) {
        for (row, mark) in zip(0..<cells.height, rowMarks) {
            out.moveCursor(x: cells.x, y: cells.y + row)
            out.add("\u{1b}[38;5;\(imageNumber)m")
            for column in 0..<cells.width {
                out.add(scalar: scalar)
                if column == 0 {
                    out.add(scalar: mark)
                    out.add(scalar: rowMarks[0])
                }
            }
        }
        out.add("\u{1b}[0m" as StaticString)
    }
}
