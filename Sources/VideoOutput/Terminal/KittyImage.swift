import SharedFrames

/// An encoder for the kitty graphics protocol: RGB in base64, in chunks of at most 4096 characters.
enum KittyImage {
    /// The maximum number of pixels of a transmitted picture. The terminal enlarges the picture. More pixels would
    /// lower the frame rate.
    static let maximumPixels = 160_000

    /// Returns the size at which a picture is transmitted that covers `pixels` of the screen: the same aspect ratio,
    /// with at most ``maximumPixels``.
    static func transmittedSize(for pixels: PixelSize) -> PixelSize {
        var size = pixels
        while size.width * size.height > maximumPixels {
            size = PixelSize(width: max(1, size.width * 9 / 10), height: max(1, size.height * 9 / 10))
        }
        return size
    }

    /// Returns the escape sequences that draw a picture at the cursor.
    ///
    /// - Parameters:
    ///   - pixels: BGRX, `size.height` rows without padding.
    ///   - columns: The number of cells across which the terminal stretches the picture.
    ///   - rows: The number of cells down which the terminal stretches the picture.
    static func encode(_ pixels: UnsafePointer<UInt32>, size: PixelSize, columns: Int, rows: Int) -> [UInt8] {
        let count = size.width * size.height
        var out = TerminalBytes(capacity: count * 4 + count / 48)
        var position = 0
        // 1024 pixels have 3072 bytes, which base64 encodes in 4096 characters.
        while position < count {
            let end = min(position + 1024, count)
            if position == 0 {
                // Reuse one image and one placement, which each picture replaces. Request no replies and do not move
                // the cursor.
                out.add("\u{1b}_Ga=T,f=24,i=1,p=1,q=2,C=1,s=\(size.width),v=\(size.height),")
                out.add("c=\(columns),r=\(rows),m=\(end < count ? 1 : 0);")
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
    /// The characters of base64, indexed by their value.
    private static let digits: [UInt8] = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    /// Appends BGRX pixels as base64 of RGB: three bytes per pixel give four characters without padding.
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
