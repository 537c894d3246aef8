/// The memory format of a frame's samples. The names are those of FFmpeg. The numbers are defined by SwiftPlay, so that
/// two processes that use different major versions of FFmpeg understand each other.
package struct PixelFormat: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The number of the format in messages between processes: an index into ``descriptors``.
    package let rawValue: UInt16

    package init?(rawValue: UInt16) {
        guard Int(rawValue) < Self.descriptors.count else { return nil }
        self.rawValue = rawValue
    }

    /// Creates the format that FFmpeg calls `name`; nil if ``descriptors`` does not contain it.
    package init?(name: String) {
        guard let number = Self.numbers[name] else { return nil }
        rawValue = number
    }

    /// The numbers of all formats in messages, by FFmpeg's name of the format.
    private static let numbers: [String: UInt16] = Dictionary(
        uniqueKeysWithValues: descriptors.enumerated().map { ($1.name, UInt16($0)) })

    /// The memory layout of the format.
    package var descriptor: Descriptor { Self.descriptors[Int(rawValue)] }
    /// FFmpeg's name of the format, such as `yuv420p`.
    package var name: String { descriptor.name }
    package var description: String { name }
    /// The number of planes (separate sample arrays), without the palette.
    package var planeCount: Int { descriptor.sampleBytes.count }

    /// Whether plane 0 indexes a palette of 256 BGRA colours stored after the picture.
    package var hasPalette: Bool { name == "pal8" }

    /// Whether two neighbouring pixels share chroma samples in a single packed plane.
    package var isPackedChroma: Bool { ["yuyv422", "uyvy422", "yvyu422", "y210le"].contains(name) }

    /// Returns the number of bytes in one visible row of `plane`, for a picture that is `width` pixels wide.
    package func rowBytes(plane: Int, width: Int) -> Int {
        let samples = isChroma(plane) ? -((-width) >> descriptor.chromaShiftX) : width
        return samples * descriptor.sampleBytes[plane]
    }

    /// Returns the number of visible rows of `plane`, for a picture that is `height` pixels high.
    package func rows(plane: Int, height: Int) -> Int {
        isChroma(plane) ? -((-height) >> descriptor.chromaShiftY) : height
    }

    /// Returns whether the plane contains chroma, which may be subsampled.
    private func isChroma(_ plane: Int) -> Bool { (plane == 1 || plane == 2) && planeCount > 1 }
}
