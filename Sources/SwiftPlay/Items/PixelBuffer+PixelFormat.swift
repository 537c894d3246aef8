import SharedFrames

extension PixelBuffer {
    /// The layout of a picture's samples in memory. The raw value is FFmpeg's name of the format.
    ///
    /// Samples of more than 8 bits are little-endian and take 16 bits each, except where a case says otherwise. Unused
    /// bits are the high ones.
    public enum PixelFormat: String, CaseIterable, Sendable, Codable {
        /// Planar YCbCr 4:2:0, 8 bits a sample.
        case yuv420p
        /// Interleaved YCbCr 4:2:2 in the order Y, Cb, Y, Cr, 8 bits a sample.
        case yuyv422
        /// Interleaved red, green, blue, 8 bits each.
        case rgb24
        /// Interleaved blue, green, red, 8 bits each.
        case bgr24
        /// Planar YCbCr 4:2:2, 8 bits a sample.
        case yuv422p
        /// Planar YCbCr 4:4:4, 8 bits a sample.
        case yuv444p
        /// Planar YCbCr 4:1:0, 8 bits a sample.
        case yuv410p
        /// Planar YCbCr 4:1:1, 8 bits a sample.
        case yuv411p
        /// Luma only, 8 bits a sample.
        case gray
        /// Indices into a palette of 256 colours.
        case pal8
        /// Planar YCbCr 4:2:0, 8 bits a sample, full range.
        case yuvj420p
        /// Planar YCbCr 4:2:2, 8 bits a sample, full range.
        case yuvj422p
        /// Planar YCbCr 4:4:4, 8 bits a sample, full range.
        case yuvj444p
        /// Interleaved YCbCr 4:2:2 in the order Cb, Y, Cr, Y, 8 bits a sample.
        case uyvy422
        /// One byte a pixel: 2 bits of blue, 3 of green, 3 of red.
        case bgr8
        /// One byte a pixel, of which 4 bits are used: 1 of blue, 2 of green, 1 of red.
        case bgr4Byte = "bgr4_byte"
        /// One byte a pixel: 3 bits of red, 3 of green, 2 of blue.
        case rgb8
        /// One byte a pixel, of which 4 bits are used: 1 of red, 2 of green, 1 of blue.
        case rgb4Byte = "rgb4_byte"
        /// Luma plane and interleaved Cb, Cr plane, 4:2:0, 8 bits a sample.
        case nv12
        /// Luma plane and interleaved Cr, Cb plane, 4:2:0, 8 bits a sample.
        case nv21
        /// Interleaved alpha, red, green, blue, 8 bits each.
        case argb
        /// Interleaved red, green, blue, alpha, 8 bits each.
        case rgba
        /// Interleaved alpha, blue, green, red, 8 bits each.
        case abgr
        /// Interleaved blue, green, red, alpha, 8 bits each.
        case bgra
        /// Luma only, 16 bits a sample.
        case gray16le
        /// Planar YCbCr 4:4:0, 8 bits a sample.
        case yuv440p
        /// Planar YCbCr 4:4:0, 8 bits a sample, full range.
        case yuvj440p
        /// Planar YCbCr 4:2:0 with alpha, 8 bits a sample.
        case yuva420p
        /// Interleaved red, green, blue, 16 bits each.
        case rgb48le
        /// A 16-bit word of red, green, blue: 5, 6 and 5 bits.
        case rgb565le
        /// A 16-bit word of red, green, blue: 5 bits each.
        case rgb555le
        /// A 16-bit word of blue, green, red: 5, 6 and 5 bits.
        case bgr565le
        /// A 16-bit word of blue, green, red: 5 bits each.
        case bgr555le
        /// Planar YCbCr 4:2:0, 16 bits a sample.
        case yuv420p16le
        /// Planar YCbCr 4:2:2, 16 bits a sample.
        case yuv422p16le
        /// Planar YCbCr 4:4:4, 16 bits a sample.
        case yuv444p16le
        /// A 16-bit word of red, green, blue: 4 bits each.
        case rgb444le
        /// A 16-bit word of blue, green, red: 4 bits each.
        case bgr444le
        /// Interleaved luma and alpha, 8 bits a sample.
        case ya8
        /// Interleaved blue, green, red, 16 bits each.
        case bgr48le
        /// Planar YCbCr 4:2:0, 9 bits a sample.
        case yuv420p9le
        /// Planar YCbCr 4:2:0, 10 bits a sample.
        case yuv420p10le
        /// Planar YCbCr 4:2:2, 10 bits a sample.
        case yuv422p10le
        /// Planar YCbCr 4:4:4, 9 bits a sample.
        case yuv444p9le
        /// Planar YCbCr 4:4:4, 10 bits a sample.
        case yuv444p10le
        /// Planar YCbCr 4:2:2, 9 bits a sample.
        case yuv422p9le
        /// Planar green, blue, red, 8 bits a sample.
        case gbrp
        /// Planar green, blue, red, 9 bits a sample.
        case gbrp9le
        /// Planar green, blue, red, 10 bits a sample.
        case gbrp10le
        /// Planar green, blue, red, 16 bits a sample.
        case gbrp16le
        /// Planar YCbCr 4:2:2 with alpha, 8 bits a sample.
        case yuva422p
        /// Planar YCbCr 4:4:4 with alpha, 8 bits a sample.
        case yuva444p
        /// Planar YCbCr 4:2:0 with alpha, 9 bits a sample.
        case yuva420p9le
        /// Planar YCbCr 4:2:2 with alpha, 9 bits a sample.
        case yuva422p9le
        /// Planar YCbCr 4:4:4 with alpha, 9 bits a sample.
        case yuva444p9le
        /// Planar YCbCr 4:2:0 with alpha, 10 bits a sample.
        case yuva420p10le
        /// Planar YCbCr 4:2:2 with alpha, 10 bits a sample.
        case yuva422p10le
        /// Planar YCbCr 4:4:4 with alpha, 10 bits a sample.
        case yuva444p10le
        /// Planar YCbCr 4:2:0 with alpha, 16 bits a sample.
        case yuva420p16le
        /// Planar YCbCr 4:2:2 with alpha, 16 bits a sample.
        case yuva422p16le
        /// Planar YCbCr 4:4:4 with alpha, 16 bits a sample.
        case yuva444p16le
        /// Luma plane and interleaved Cb, Cr plane, 4:2:2, 8 bits a sample.
        case nv16
        /// Luma plane and interleaved Cb, Cr plane, 4:2:2, 10 bits a sample.
        case nv20le
        /// Interleaved red, green, blue, alpha, 16 bits each.
        case rgba64le
        /// Interleaved blue, green, red, alpha, 16 bits each.
        case bgra64le
        /// Interleaved YCbCr 4:2:2 in the order Y, Cr, Y, Cb, 8 bits a sample.
        case yvyu422
        /// Interleaved luma and alpha, 16 bits a sample.
        case ya16le
        /// Planar green, blue, red and alpha, 8 bits a sample.
        case gbrap
        /// Planar green, blue, red and alpha, 16 bits a sample.
        case gbrap16le
        /// Interleaved unused byte, red, green, blue.
        case xrgb = "0rgb"
        /// Interleaved red, green, blue, unused byte.
        case rgbx = "rgb0"
        /// Interleaved unused byte, blue, green, red.
        case xbgr = "0bgr"
        /// Interleaved blue, green, red, unused byte.
        case bgrx = "bgr0"
        /// Planar YCbCr 4:2:0, 12 bits a sample.
        case yuv420p12le
        /// Planar YCbCr 4:2:0, 14 bits a sample.
        case yuv420p14le
        /// Planar YCbCr 4:2:2, 12 bits a sample.
        case yuv422p12le
        /// Planar YCbCr 4:2:2, 14 bits a sample.
        case yuv422p14le
        /// Planar YCbCr 4:4:4, 12 bits a sample.
        case yuv444p12le
        /// Planar YCbCr 4:4:4, 14 bits a sample.
        case yuv444p14le
        /// Planar green, blue, red, 12 bits a sample.
        case gbrp12le
        /// Planar green, blue, red, 14 bits a sample.
        case gbrp14le
        /// Planar YCbCr 4:1:1, 8 bits a sample, full range.
        case yuvj411p
        /// Planar YCbCr 4:4:0, 10 bits a sample.
        case yuv440p10le
        /// Planar YCbCr 4:4:0, 12 bits a sample.
        case yuv440p12le
        /// Interleaved alpha, Y, Cb, Cr, 16 bits each.
        case ayuv64le
        /// Luma plane and interleaved Cb, Cr plane, 4:2:0, 10 bits a sample, in the high bits of 16.
        case p010le
        /// Planar green, blue, red and alpha, 12 bits a sample.
        case gbrap12le
        /// Planar green, blue, red and alpha, 10 bits a sample.
        case gbrap10le
        /// Luma only, 12 bits a sample.
        case gray12le
        /// Luma only, 10 bits a sample.
        case gray10le
        /// Luma plane and interleaved Cb, Cr plane, 4:2:0, 16 bits a sample.
        case p016le
        /// Luma only, 9 bits a sample.
        case gray9le
        /// Luma only, 14 bits a sample.
        case gray14le
        /// Planar YCbCr 4:2:2 with alpha, 12 bits a sample.
        case yuva422p12le
        /// Planar YCbCr 4:4:4 with alpha, 12 bits a sample.
        case yuva444p12le
        /// Luma plane and interleaved Cb, Cr plane, 4:4:4, 8 bits a sample.
        case nv24
        /// Luma plane and interleaved Cr, Cb plane, 4:4:4, 8 bits a sample.
        case nv42
        /// Interleaved YCbCr 4:2:2 in the order Y, Cb, Y, Cr, 10 bits a sample, in the high bits of 16.
        case y210le
        /// A 32-bit word: 2 unused bits, then red, green, blue, 10 bits each.
        case x2rgb10le
        /// A 32-bit word: 2 unused bits, then blue, green, red, 10 bits each.
        case x2bgr10le
        /// Luma plane and interleaved Cb, Cr plane, 4:2:2, 10 bits a sample, in the high bits of 16.
        case p210le
        /// Luma plane and interleaved Cb, Cr plane, 4:4:4, 10 bits a sample, in the high bits of 16.
        case p410le
        /// Luma plane and interleaved Cb, Cr plane, 4:2:2, 16 bits a sample.
        case p216le
        /// Luma plane and interleaved Cb, Cr plane, 4:4:4, 16 bits a sample.
        case p416le

        /// Converts a pixel format of the module SharedFrames into the public type.
        init(_ format: SharedFrames.PixelFormat) {
            guard let publicFormat = PixelFormat(rawValue: format.name) else {
                // A test checks that every pixel format of SharedFrames has a case here.
                preconditionFailure("the pixel format \(format.name) has no case")
            }
            self = publicFormat
        }
    }
}
