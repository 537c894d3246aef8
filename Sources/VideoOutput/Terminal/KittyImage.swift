import SharedFrames

/// Encodes a picture for the kitty graphics protocol: RGB in base64, in pieces of at most 4096 characters.
enum KittyImage {
    /// Pixels a picture has at most. The terminal enlarges it; what counts on the way are bytes (mpv drops frames with
    /// large ones).
    static let maximumPixels = 160_000

    /// The size at which a picture that covers `pixels` of the screen is sent: the same shape, no more than is worth
    /// while.
    static func transmitted(_ pixels: PixelSize) -> PixelSize {
        var size = pixels
        while size.width * size.height > maximumPixels {
            size = PixelSize(width: max(1, size.width * 9 / 10), height: max(1, size.height * 9 / 10))
        }
        return size
    }

    /// - Parameters:
    ///   - pixels: BGRX, `size.height` rows without gaps.
    ///   - columns: cells that the terminal stretches it over.
    static func encode(_ pixels: UnsafePointer<UInt32>, size: PixelSize, columns: Int, rows: Int) -> [UInt8] {
        let count = size.width * size.height
        var out = TerminalBytes(capacity: count * 4 + count / 48)
        var position = 0
        // 1024 pixels are 3072 bytes are 4096 characters.
        while position < count {
            let end = min(position + 1024, count)
            if position == 0 {
                // One image and one placement, replaced by the next; no answers wanted; the cursor stays.
                out.add(
                    "\u{1b}_Ga=T,f=24,i=1,p=1,q=2,C=1,s=\(size.width),v=\(size.height),c=\(columns),r=\(rows),m=\(end < count ? 1 : 0);"
                )
            } else {
                out.add(end < count ? "\u{1b}_Gm=1;" as StaticString : "\u{1b}_Gm=0;")
            }
            out.addBase64(pixels + position, count: end - position)
            out.add("\u{1b}\\" as StaticString)
            position = end
        }
        return out.bytes
    }
}

extension TerminalBytes {
    private static let digits: [UInt8] = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    /// BGRX pixels as base64 of RGB: three bytes a pixel make four characters, without padding.
    fileprivate mutating func addBase64(_ pixels: UnsafePointer<UInt32>, count: Int) {
        Self.digits.withUnsafeBufferPointer { digits in
            addUninitialised(count * 4) { target in
                for index in 0..<count {
                    let pixel = pixels[index]
                    target[index * 4] = digits[Int(pixel >> 18 & 63)]
                    target[index * 4 + 1] = digits[Int(pixel >> 12 & 63)]
                    target[index * 4 + 2] = digits[Int(pixel >> 6 & 63)]
                    target[index * 4 + 3] = digits[Int(pixel & 63)]
                }
            }
        }
    }
}
