/// A code of ITU-T H.273 for matrix coefficients, which convert between RGB and luma with chroma. The raw value may
/// also be a code for which this type has no constant.
package struct MatrixCoefficients: RawRepresentable, Hashable, Sendable {
    /// The number of the code in ITU-T H.273.
    package let rawValue: UInt8
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// No matrix: the samples are R, G and B.
    package static let rgb = Self(rawValue: 0)
    /// The matrix of HDTV (BT.709).
    package static let bt709 = Self(rawValue: 1)
    /// The stream does not state its matrix.
    package static let unspecified = Self(rawValue: 2)
    /// The matrix of analogue NTSC (FCC rules of 1953).
    package static let fcc = Self(rawValue: 4)
    /// The matrix of BT.601 for 625 lines.
    package static let bt470BG = Self(rawValue: 5)
    /// The matrix of BT.601 for 525 lines.
    package static let smpte170M = Self(rawValue: 6)
    /// The matrix of early HDTV (SMPTE 240M).
    package static let smpte240M = Self(rawValue: 7)
    /// The matrix of BT.2020 with non-constant luminance.
    package static let bt2020 = Self(rawValue: 9)
    /// The matrix of BT.2020 with constant luminance.
    package static let bt2020ConstantLuminance = Self(rawValue: 10)
}

/// A code of ITU-T H.273 for colour primaries. The raw value may also be a code for which this type has no constant.
package struct ColourPrimaries: RawRepresentable, Hashable, Sendable {
    /// The number of the code in ITU-T H.273.
    package let rawValue: UInt8
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The primaries of HDTV (BT.709).
    package static let bt709 = Self(rawValue: 1)
    /// The stream does not state its primaries.
    package static let unspecified = Self(rawValue: 2)
    /// The primaries of UHDTV (BT.2020).
    package static let bt2020 = Self(rawValue: 9)
}

/// A code of ITU-T H.273 for transfer characteristics, the function between light and sample values. The raw value may
/// also be a code for which this type has no constant.
package struct TransferCharacteristics: RawRepresentable, Hashable, Sendable {
    /// The number of the code in ITU-T H.273.
    package let rawValue: UInt8
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The transfer function of HDTV (BT.709).
    package static let bt709 = Self(rawValue: 1)
    /// The stream does not state its transfer function.
    package static let unspecified = Self(rawValue: 2)
    /// The transfer function of BT.2020 for 10 bits.
    package static let bt2020 = Self(rawValue: 14)
    /// The perceptual quantizer for HDR (SMPTE ST 2084).
    package static let pq = Self(rawValue: 16)
    /// The hybrid log-gamma function for HDR (ARIB STD-B67).
    package static let hlg = Self(rawValue: 18)
}
