import Glibc
import SharedFrames

/// An encoder for the kitty graphics protocol: RGB in base64, in chunks of at most 4096 characters.
enum KittyImageEncoder {
    /// The maximum number of pixels of a transmitted picture, which the terminal then enlarges. More pixels would lower
    /// the frame rate.
    static let maximumPixelCount = 160_000
    /// The number of the image in a region that another process draws. The image of the whole terminal has the number
    /// 1.
    static let regionImageNumber = 2
    /// The number of the image that replaces placeholders, 16 to 255: a multiplexer changes the sequence that selects a
    /// colour below 16. Programs in other panes share the images of the terminal, so the number depends on the process.
    static let placeholderImageNumber = 16 + Int(getpid()) % 240
    /// The number of the image that replaces placeholders in a region that another process draws.
    static let regionPlaceholderImageNumber = 16 + (Int(getpid()) + 120) % 240

    /// Returns the escape sequence that deletes an image, as it reaches the terminal through `passthrough`.
    static func deletion(of imageNumber: Int, _ passthrough: TerminalPassthrough?) -> [UInt8] {
        let sequence = Array("\u{1b}_Ga=d,d=I,i=\(imageNumber),q=2\u{1b}\\".utf8)
        return passthrough?.wrap(sequence) ?? sequence
    }

    /// Returns the size at which a picture is transmitted that is shown at `screenSize` pixels: the same aspect ratio,
    /// with at most ``maximumPixelCount`` pixels.
    static func transmittedSize(for screenSize: PixelSize) -> PixelSize {
        var size = screenSize
        while size.width * size.height > maximumPixelCount {
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
    ///   - imageNumber: The number of the image, which replaces an earlier image of the same number.
    ///   - hasPlaceholders: Whether ``KittyPlaceholder`` characters determine the place of the picture.
    static func encode(
        _ pixels: UnsafePointer<UInt32>, size: PixelSize, columns: Int, rows: Int, imageNumber: Int = 1,
        hasPlaceholders: Bool = false
    ) -> [UInt8] {
        let pixelCount = size.width * size.height
        var sequences = TerminalBytes(capacity: pixelCount * 4 + pixelCount / 48)
        var position = 0
        // 1024 pixels have 3072 bytes, which base64 encodes in 4096 characters.
        while position < pixelCount {
            let chunkEnd = min(position + 1024, pixelCount)
            if position == 0 {
                // Reuse one image and one placement, which each picture replaces. Request no replies and do not move
                // the cursor.
                sequences.add("\u{1b}_Ga=T,f=24,i=\(imageNumber),\(hasPlaceholders ? "U=1" : "p=1"),q=2,C=1,")
                sequences.add("s=\(size.width),v=\(size.height),")
                sequences.add("c=\(columns),r=\(rows),m=\(chunkEnd < pixelCount ? 1 : 0);")
            } else {
                sequences.add(chunkEnd < pixelCount ? "\u{1b}_Gm=1;" as StaticString : "\u{1b}_Gm=0;")
            }
            sequences.addBase64(pixels + position, count: chunkEnd - position)
            sequences.add("\u{1b}\\" as StaticString)
            position = chunkEnd
        }
        return sequences.bytes
    }
}

extension TerminalBytes {
    /// The characters of base64, indexed by their value.
    private static let base64Digits: [UInt8] = Array(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    /// Appends BGRX pixels as base64 of RGB: three bytes per pixel give four characters without padding.
    fileprivate mutating func addBase64(_ pixels: UnsafePointer<UInt32>, count: Int) {
        Self.base64Digits.withUnsafeBufferPointer { base64Digits in
            addUninitialised(count * 4) { target in
                for index in 0..<count {
                    let pixel = pixels[index]
                    target[index * 4] = base64Digits[Int(pixel >> 18 & 63)]
                    target[index * 4 + 1] = base64Digits[Int(pixel >> 12 & 63)]
                    target[index * 4 + 2] = base64Digits[Int(pixel >> 6 & 63)]
                    target[index * 4 + 3] = base64Digits[Int(pixel & 63)]
                }
            }
        }
    }
}
