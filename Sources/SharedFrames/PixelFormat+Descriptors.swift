extension PixelFormat {
    /// The memory layout of one pixel format.
    package struct Descriptor: Sendable {
        /// FFmpeg's name of the format.
        package let name: String
        /// The base-2 logarithm of the horizontal chroma subsampling: planes 1 and 2 are narrower than plane 0 by this
        /// power of two.
        package let chromaShiftX: Int
        /// The base-2 logarithm of the vertical chroma subsampling: planes 1 and 2 have fewer rows than plane 0 by this
        /// power of two.
        package let chromaShiftY: Int
        /// The distance in bytes between two samples, for each plane.
        package let sampleBytes: [Int]

        init(_ name: String, _ chromaShiftX: Int, _ chromaShiftY: Int, _ sampleBytes: [Int]) {
            self.name = name
            self.chromaShiftX = chromaShiftX
            self.chromaShiftY = chromaShiftY
            self.sampleBytes = sampleBytes
        }
    }

    /// All supported frame formats. The index is the format's number in messages between processes: append, never
    /// insert. Derived from FFmpeg's pixel format descriptors; formats with less than one byte per sample are excluded.
    package static let descriptors: [Descriptor] = [
        Descriptor("yuv420p", 1, 1, [1, 1, 1]),
        Descriptor("yuyv422", 0, 0, [2]),
        Descriptor("rgb24", 0, 0, [3]),
        Descriptor("bgr24", 0, 0, [3]),
        Descriptor("yuv422p", 1, 0, [1, 1, 1]),
        Descriptor("yuv444p", 0, 0, [1, 1, 1]),
        Descriptor("yuv410p", 2, 2, [1, 1, 1]),
        Descriptor("yuv411p", 2, 0, [1, 1, 1]),
        Descriptor("gray", 0, 0, [1]),
        Descriptor("pal8", 0, 0, [1]),
        Descriptor("yuvj420p", 1, 1, [1, 1, 1]),
        Descriptor("yuvj422p", 1, 0, [1, 1, 1]),
        Descriptor("yuvj444p", 0, 0, [1, 1, 1]),
        Descriptor("uyvy422", 0, 0, [2]),
        Descriptor("bgr8", 0, 0, [1]),
        Descriptor("bgr4_byte", 0, 0, [1]),
        Descriptor("rgb8", 0, 0, [1]),
        Descriptor("rgb4_byte", 0, 0, [1]),
        Descriptor("nv12", 1, 1, [1, 2]),
        Descriptor("nv21", 1, 1, [1, 2]),
        Descriptor("argb", 0, 0, [4]),
        Descriptor("rgba", 0, 0, [4]),
        Descriptor("abgr", 0, 0, [4]),
        Descriptor("bgra", 0, 0, [4]),
        Descriptor("gray16le", 0, 0, [2]),
        Descriptor("yuv440p", 0, 1, [1, 1, 1]),
        Descriptor("yuvj440p", 0, 1, [1, 1, 1]),
        Descriptor("yuva420p", 1, 1, [1, 1, 1, 1]),
        Descriptor("rgb48le", 0, 0, [6]),
        Descriptor("rgb565le", 0, 0, [2]),
        Descriptor("rgb555le", 0, 0, [2]),
        Descriptor("bgr565le", 0, 0, [2]),
        Descriptor("bgr555le", 0, 0, [2]),
        Descriptor("yuv420p16le", 1, 1, [2, 2, 2]),
        Descriptor("yuv422p16le", 1, 0, [2, 2, 2]),
        Descriptor("yuv444p16le", 0, 0, [2, 2, 2]),
        Descriptor("rgb444le", 0, 0, [2]),
        Descriptor("bgr444le", 0, 0, [2]),
        Descriptor("ya8", 0, 0, [2]),
        Descriptor("bgr48le", 0, 0, [6]),
        Descriptor("yuv420p9le", 1, 1, [2, 2, 2]),
        Descriptor("yuv420p10le", 1, 1, [2, 2, 2]),
        Descriptor("yuv422p10le", 1, 0, [2, 2, 2]),
        Descriptor("yuv444p9le", 0, 0, [2, 2, 2]),
        Descriptor("yuv444p10le", 0, 0, [2, 2, 2]),
        Descriptor("yuv422p9le", 1, 0, [2, 2, 2]),
        Descriptor("gbrp", 0, 0, [1, 1, 1]),
        Descriptor("gbrp9le", 0, 0, [2, 2, 2]),
        Descriptor("gbrp10le", 0, 0, [2, 2, 2]),
        Descriptor("gbrp16le", 0, 0, [2, 2, 2]),
        Descriptor("yuva422p", 1, 0, [1, 1, 1, 1]),
        Descriptor("yuva444p", 0, 0, [1, 1, 1, 1]),
        Descriptor("yuva420p9le", 1, 1, [2, 2, 2, 2]),
        Descriptor("yuva422p9le", 1, 0, [2, 2, 2, 2]),
        Descriptor("yuva444p9le", 0, 0, [2, 2, 2, 2]),
        Descriptor("yuva420p10le", 1, 1, [2, 2, 2, 2]),
        Descriptor("yuva422p10le", 1, 0, [2, 2, 2, 2]),
        Descriptor("yuva444p10le", 0, 0, [2, 2, 2, 2]),
        Descriptor("yuva420p16le", 1, 1, [2, 2, 2, 2]),
        Descriptor("yuva422p16le", 1, 0, [2, 2, 2, 2]),
        Descriptor("yuva444p16le", 0, 0, [2, 2, 2, 2]),
        Descriptor("nv16", 1, 0, [1, 2]),
        Descriptor("nv20le", 1, 0, [2, 4]),
        Descriptor("rgba64le", 0, 0, [8]),
        Descriptor("bgra64le", 0, 0, [8]),
        Descriptor("yvyu422", 0, 0, [2]),
        Descriptor("ya16le", 0, 0, [4]),
        Descriptor("gbrap", 0, 0, [1, 1, 1, 1]),
        Descriptor("gbrap16le", 0, 0, [2, 2, 2, 2]),
        Descriptor("0rgb", 0, 0, [4]),
        Descriptor("rgb0", 0, 0, [4]),
        Descriptor("0bgr", 0, 0, [4]),
        Descriptor("bgr0", 0, 0, [4]),
        Descriptor("yuv420p12le", 1, 1, [2, 2, 2]),
        Descriptor("yuv420p14le", 1, 1, [2, 2, 2]),
        Descriptor("yuv422p12le", 1, 0, [2, 2, 2]),
        Descriptor("yuv422p14le", 1, 0, [2, 2, 2]),
        Descriptor("yuv444p12le", 0, 0, [2, 2, 2]),
        Descriptor("yuv444p14le", 0, 0, [2, 2, 2]),
        Descriptor("gbrp12le", 0, 0, [2, 2, 2]),
        Descriptor("gbrp14le", 0, 0, [2, 2, 2]),
        Descriptor("yuvj411p", 2, 0, [1, 1, 1]),
        Descriptor("yuv440p10le", 0, 1, [2, 2, 2]),
        Descriptor("yuv440p12le", 0, 1, [2, 2, 2]),
        Descriptor("ayuv64le", 0, 0, [8]),
        Descriptor("p010le", 1, 1, [2, 4]),
        Descriptor("gbrap12le", 0, 0, [2, 2, 2, 2]),
        Descriptor("gbrap10le", 0, 0, [2, 2, 2, 2]),
        Descriptor("gray12le", 0, 0, [2]),
        Descriptor("gray10le", 0, 0, [2]),
        Descriptor("p016le", 1, 1, [2, 4]),
        Descriptor("gray9le", 0, 0, [2]),
        Descriptor("gray14le", 0, 0, [2]),
        Descriptor("yuva422p12le", 1, 0, [2, 2, 2, 2]),
        Descriptor("yuva444p12le", 0, 0, [2, 2, 2, 2]),
        Descriptor("nv24", 0, 0, [1, 2]),
        Descriptor("nv42", 0, 0, [1, 2]),
        Descriptor("y210le", 0, 0, [4]),
        Descriptor("x2rgb10le", 0, 0, [4]),
        Descriptor("x2bgr10le", 0, 0, [4]),
        Descriptor("p210le", 1, 0, [2, 4]),
        Descriptor("p410le", 0, 0, [2, 4]),
        Descriptor("p216le", 1, 0, [2, 4]),
        Descriptor("p416le", 0, 0, [2, 4]),
    ]
}
