extension PixelFormat {
    /// The memory layout of one pixel format.
    package struct Shape: Sendable {
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
    package static let shapes: [Shape] = [
        Shape("yuv420p", 1, 1, [1, 1, 1]),
        Shape("yuyv422", 0, 0, [2]),
        Shape("rgb24", 0, 0, [3]),
        Shape("bgr24", 0, 0, [3]),
        Shape("yuv422p", 1, 0, [1, 1, 1]),
        Shape("yuv444p", 0, 0, [1, 1, 1]),
        Shape("yuv410p", 2, 2, [1, 1, 1]),
        Shape("yuv411p", 2, 0, [1, 1, 1]),
        Shape("gray", 0, 0, [1]),
        Shape("pal8", 0, 0, [1]),
        Shape("yuvj420p", 1, 1, [1, 1, 1]),
        Shape("yuvj422p", 1, 0, [1, 1, 1]),
        Shape("yuvj444p", 0, 0, [1, 1, 1]),
        Shape("uyvy422", 0, 0, [2]),
        Shape("bgr8", 0, 0, [1]),
        Shape("bgr4_byte", 0, 0, [1]),
        Shape("rgb8", 0, 0, [1]),
        Shape("rgb4_byte", 0, 0, [1]),
        Shape("nv12", 1, 1, [1, 2]),
        Shape("nv21", 1, 1, [1, 2]),
        Shape("argb", 0, 0, [4]),
        Shape("rgba", 0, 0, [4]),
        Shape("abgr", 0, 0, [4]),
        Shape("bgra", 0, 0, [4]),
        Shape("gray16le", 0, 0, [2]),
        Shape("yuv440p", 0, 1, [1, 1, 1]),
        Shape("yuvj440p", 0, 1, [1, 1, 1]),
        Shape("yuva420p", 1, 1, [1, 1, 1, 1]),
        Shape("rgb48le", 0, 0, [6]),
        Shape("rgb565le", 0, 0, [2]),
        Shape("rgb555le", 0, 0, [2]),
        Shape("bgr565le", 0, 0, [2]),
        Shape("bgr555le", 0, 0, [2]),
        Shape("yuv420p16le", 1, 1, [2, 2, 2]),
        Shape("yuv422p16le", 1, 0, [2, 2, 2]),
        Shape("yuv444p16le", 0, 0, [2, 2, 2]),
        Shape("rgb444le", 0, 0, [2]),
        Shape("bgr444le", 0, 0, [2]),
        Shape("ya8", 0, 0, [2]),
        Shape("bgr48le", 0, 0, [6]),
        Shape("yuv420p9le", 1, 1, [2, 2, 2]),
        Shape("yuv420p10le", 1, 1, [2, 2, 2]),
        Shape("yuv422p10le", 1, 0, [2, 2, 2]),
        Shape("yuv444p9le", 0, 0, [2, 2, 2]),
        Shape("yuv444p10le", 0, 0, [2, 2, 2]),
        Shape("yuv422p9le", 1, 0, [2, 2, 2]),
        Shape("gbrp", 0, 0, [1, 1, 1]),
        Shape("gbrp9le", 0, 0, [2, 2, 2]),
        Shape("gbrp10le", 0, 0, [2, 2, 2]),
        Shape("gbrp16le", 0, 0, [2, 2, 2]),
        Shape("yuva422p", 1, 0, [1, 1, 1, 1]),
        Shape("yuva444p", 0, 0, [1, 1, 1, 1]),
        Shape("yuva420p9le", 1, 1, [2, 2, 2, 2]),
        Shape("yuva422p9le", 1, 0, [2, 2, 2, 2]),
        Shape("yuva444p9le", 0, 0, [2, 2, 2, 2]),
        Shape("yuva420p10le", 1, 1, [2, 2, 2, 2]),
        Shape("yuva422p10le", 1, 0, [2, 2, 2, 2]),
        Shape("yuva444p10le", 0, 0, [2, 2, 2, 2]),
        Shape("yuva420p16le", 1, 1, [2, 2, 2, 2]),
        Shape("yuva422p16le", 1, 0, [2, 2, 2, 2]),
        Shape("yuva444p16le", 0, 0, [2, 2, 2, 2]),
        Shape("nv16", 1, 0, [1, 2]),
        Shape("nv20le", 1, 0, [2, 4]),
        Shape("rgba64le", 0, 0, [8]),
        Shape("bgra64le", 0, 0, [8]),
        Shape("yvyu422", 0, 0, [2]),
        Shape("ya16le", 0, 0, [4]),
        Shape("gbrap", 0, 0, [1, 1, 1, 1]),
        Shape("gbrap16le", 0, 0, [2, 2, 2, 2]),
        Shape("0rgb", 0, 0, [4]),
        Shape("rgb0", 0, 0, [4]),
        Shape("0bgr", 0, 0, [4]),
        Shape("bgr0", 0, 0, [4]),
        Shape("yuv420p12le", 1, 1, [2, 2, 2]),
        Shape("yuv420p14le", 1, 1, [2, 2, 2]),
        Shape("yuv422p12le", 1, 0, [2, 2, 2]),
        Shape("yuv422p14le", 1, 0, [2, 2, 2]),
        Shape("yuv444p12le", 0, 0, [2, 2, 2]),
        Shape("yuv444p14le", 0, 0, [2, 2, 2]),
        Shape("gbrp12le", 0, 0, [2, 2, 2]),
        Shape("gbrp14le", 0, 0, [2, 2, 2]),
        Shape("yuvj411p", 2, 0, [1, 1, 1]),
        Shape("yuv440p10le", 0, 1, [2, 2, 2]),
        Shape("yuv440p12le", 0, 1, [2, 2, 2]),
        Shape("ayuv64le", 0, 0, [8]),
        Shape("p010le", 1, 1, [2, 4]),
        Shape("gbrap12le", 0, 0, [2, 2, 2, 2]),
        Shape("gbrap10le", 0, 0, [2, 2, 2, 2]),
        Shape("gray12le", 0, 0, [2]),
        Shape("gray10le", 0, 0, [2]),
        Shape("p016le", 1, 1, [2, 4]),
        Shape("gray9le", 0, 0, [2]),
        Shape("gray14le", 0, 0, [2]),
        Shape("yuva422p12le", 1, 0, [2, 2, 2, 2]),
        Shape("yuva444p12le", 0, 0, [2, 2, 2, 2]),
        Shape("nv24", 0, 0, [1, 2]),
        Shape("nv42", 0, 0, [1, 2]),
        Shape("y210le", 0, 0, [4]),
        Shape("x2rgb10le", 0, 0, [4]),
        Shape("x2bgr10le", 0, 0, [4]),
        Shape("p210le", 1, 0, [2, 4]),
        Shape("p410le", 0, 0, [2, 4]),
        Shape("p216le", 1, 0, [2, 4]),
        Shape("p416le", 0, 0, [2, 4]),
    ]
}
