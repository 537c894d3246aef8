/// Filters that make untrusted text (titles, file names) safe for a terminal and fit its width.
package enum TerminalText {
    /// Removes control characters, private-use characters, and characters that change the direction of writing. Line
    /// breaks and tabs become spaces.
    package static func sanitised(_ text: String) -> String {
        var result = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            switch scalar.value {
            case 0x09, 0x0a, 0x0d, 0x2028, 0x2029: result.append(" ")
            case 0x00...0x1f, 0x7f...0x9f: continue
            case 0x200e, 0x200f, 0x202a...0x202e, 0x2066...0x2069, 0xfeff: continue
            case 0xe000...0xf8ff, 0xe0000...0x10ffff: continue
            default: result.append(scalar)
            }
        }
        return String(result)
    }

    /// Returns the sanitised text, cut to a width of `columns` cells: one element per character, with its width in
    /// cells.
    package static func fitting(_ text: String, columns: Int) -> [(scalars: [Unicode.Scalar], width: Int)] {
        var result: [(scalars: [Unicode.Scalar], width: Int)] = []
        var usedColumns = 0
        for character in sanitised(text) {
            let scalars = Array(character.unicodeScalars.prefix(8))
            let width = scalars.map(width(of:)).max() ?? 0
            guard width > 0 else { continue }
            guard usedColumns + width <= columns else { break }
            usedColumns += width
            result.append((scalars, width))
        }
        return result
    }

    /// Returns the width of a scalar in cells: 2 for wide East Asian characters and emoji, 0 for combining marks.
    package static func width(of scalar: Unicode.Scalar) -> Int {
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format: return 0
        default: break
        }
        switch scalar.value {
        case 0x1100...0x115f, 0x2e80...0x303e, 0x3041...0xa4cf, 0xac00...0xd7a3, 0xf900...0xfaff, 0xfe30...0xfe6f,
            0xff00...0xff60,
            0xffe0...0xffe6, 0x1f300...0x1f64f, 0x1f680...0x1f6ff, 0x1f900...0x1f9ff, 0x20000...0x3fffd:
            return 2
        default: return 1
        }
    }
}
