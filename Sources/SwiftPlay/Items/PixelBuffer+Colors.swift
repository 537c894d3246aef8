extension PixelBuffer {
    /// The matrix between RGB and the samples of a YCbCr picture.
    ///
    /// The raw value is the code of ITU-T H.273. Codes that H.273 reserves become ``unspecified``.
    public enum ColorMatrix: Int, CaseIterable, Sendable, Codable {
        /// RGB, or XYZ: the samples are the components themselves.
        case identity = 0
        /// ITU-R BT.709 (AVVideoYCbCrMatrix_ITU_R_709_2): HD.
        case bt709 = 1
        /// The stream does not state the matrix.
        case unspecified = 2
        /// United States FCC title 47, 73.682 (a)(20).
        case fcc = 4
        /// ITU-R BT.601 with 625 lines.
        case bt470BG = 5
        /// ITU-R BT.601 with 525 lines (AVVideoYCbCrMatrix_ITU_R_601_4).
        case smpte170M = 6
        /// SMPTE ST 240.
        case smpte240M = 7
        /// YCgCo.
        case yCgCo = 8
        /// ITU-R BT.2020, non-constant luminance (AVVideoYCbCrMatrix_ITU_R_2020).
        case bt2020NonConstantLuminance = 9
        /// ITU-R BT.2020, constant luminance.
        case bt2020ConstantLuminance = 10
        /// SMPTE ST 2085.
        case smpte2085 = 11
        /// Derived from the primaries, non-constant luminance.
        case chromaticityNonConstantLuminance = 12
        /// Derived from the primaries, constant luminance.
        case chromaticityConstantLuminance = 13
        /// ITU-R BT.2100 ICtCp.
        case ictcp = 14

        /// Creates the matrix for a code of H.273.
        init(code: UInt8) { self = Self(rawValue: Int(code)) ?? .unspecified }
    }

    /// The chromaticities of red, green, blue and white.
    ///
    /// The raw value is the code of ITU-T H.273. Codes that H.273 reserves become ``unspecified``.
    public enum ColorPrimaries: Int, CaseIterable, Sendable, Codable {
        /// ITU-R BT.709 and sRGB (AVVideoColorPrimaries_ITU_R_709_2).
        case bt709 = 1
        /// The stream does not state the primaries.
        case unspecified = 2
        /// ITU-R BT.470 system M.
        case bt470M = 4
        /// ITU-R BT.601 with 625 lines (AVVideoColorPrimaries_EBU_3213).
        case bt470BG = 5
        /// ITU-R BT.601 with 525 lines (AVVideoColorPrimaries_SMPTE_C).
        case smpte170M = 6
        /// SMPTE ST 240.
        case smpte240M = 7
        /// Generic film with illuminant C.
        case film = 8
        /// ITU-R BT.2020 and BT.2100 (AVVideoColorPrimaries_ITU_R_2020).
        case bt2020 = 9
        /// CIE 1931 XYZ, SMPTE ST 428-1.
        case smpte428 = 10
        /// DCI-P3, SMPTE RP 431-2.
        case dciP3 = 11
        /// Display P3, SMPTE EG 432-1 (AVVideoColorPrimaries_P3_D65).
        case displayP3 = 12
        /// EBU Tech 3213.
        case ebu3213 = 22

        /// Creates the primaries for a code of H.273.
        init(code: UInt8) { self = Self(rawValue: Int(code)) ?? .unspecified }
    }

    /// The function between light and sample values.
    ///
    /// The raw value is the code of ITU-T H.273. Codes that H.273 reserves become ``unspecified``.
    public enum TransferFunction: Int, CaseIterable, Sendable, Codable {
        /// ITU-R BT.709 (AVVideoTransferFunction_ITU_R_709_2).
        case bt709 = 1
        /// The stream does not state the function.
        case unspecified = 2
        /// Gamma 2.2, ITU-R BT.470 system M.
        case gamma22 = 4
        /// Gamma 2.8, ITU-R BT.470 system B, G.
        case gamma28 = 5
        /// ITU-R BT.601, the same curve as BT.709.
        case smpte170M = 6
        /// SMPTE ST 240 (AVVideoTransferFunction_SMPTE_240M_1995).
        case smpte240M = 7
        /// Linear light.
        case linear = 8
        /// Logarithmic, range 100:1.
        case logarithmic100 = 9
        /// Logarithmic, range 316:1.
        case logarithmic316 = 10
        /// IEC 61966-2-4 (xvYCC).
        case iec61966Part2Section4 = 11
        /// ITU-R BT.1361, extended gamut.
        case bt1361 = 12
        /// IEC 61966-2-1 (sRGB).
        case sRGB = 13
        /// ITU-R BT.2020, 10 bits, the same curve as BT.709.
        case bt2020TenBit = 14
        /// ITU-R BT.2020, 12 bits, the same curve as BT.709.
        case bt2020TwelveBit = 15
        /// Perceptual quantizer (PQ), SMPTE ST 2084: HDR10 (AVVideoTransferFunction_SMPTE_ST_2084_PQ).
        case perceptualQuantizer = 16
        /// SMPTE ST 428-1.
        case smpte428 = 17
        /// Hybrid log-gamma (HLG), ARIB STD-B67 (AVVideoTransferFunction_ITU_R_2100_HLG).
        case hybridLogGamma = 18

        /// Creates the function for a code of H.273.
        init(code: UInt8) { self = Self(rawValue: Int(code)) ?? .unspecified }
    }
}
