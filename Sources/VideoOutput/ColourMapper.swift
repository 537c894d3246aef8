import Glibc
import SharedFrames
import SystemCalls

/// A converter of BT.2020 and HDR colours to BT.709 for a screen. Frames in BT.709 do not need it.
///
/// PQ and HLG (ITU-R BT.2100) are converted to display light: PQ codes state this light in cd/m²; HLG is
/// shown at 1000 cd/m² with an OOTF gamma of 1.2. The EETF of ITU-R BT.2390 maps the range from black to the stated
/// peak (MaxCLL, else the mastering display's peak, else 1000) to 0...203 cd/m², the diffuse white of ITU-R BT.2408:
/// values below the knee are unchanged, and above it a Hermite spline on the PQ scale rolls off to the screen's white.
/// The largest of R, G and B selects the point on the curve, and all three are scaled by the same factor, which
/// preserves hues. Then the primaries are converted to BT.709, values outside are clipped, and the light is coded
/// with the gamma of 2.4 of ITU-R BT.1886. SDR with BT.2020 primaries takes the same steps without the EETF.
///
/// The values of all nonlinear functions but square roots are read from tables of 4096 entries. Used by one thread at a
/// time.
final class ColourMapper {
    /// The kinds of transfer functions: standard dynamic range, PQ, and HLG.
    enum TransferFunction: Equatable { case sdr, pq, hlg }

    /// The colour properties of a format, from which the lookup tables are computed.
    struct ColourProperties: Equatable {
        /// The transfer function of the samples.
        var transfer: TransferFunction
        /// Whether the samples use the full range of values instead of the limited (video) range.
        var isFullRange: Bool
        /// The peak luminance of the video in cd/m².
        var peak: Double
        /// The matrix coefficients that convert the samples to R, G and B.
        var matrix: MatrixCoefficients
        /// Whether the primaries are BT.2020; false if they are BT.709 or similar.
        var hasBT2020Primaries: Bool
    }

    /// The luminance of SDR white in cd/m².
    static let whiteLuminance = 203.0
    /// The number of entries of each table.
    private static let tableSize = 4096

    /// The colour properties for which the lookup tables were computed.
    let colourProperties: ColourProperties
    /// The linear light of each coded value of R, G or B. PQ and SDR: the light of the screen, where 1 is SDR white.
    /// HLG: the light at the camera, 0...1.
    private let linearLight: [Float]
    /// The factors of the tone mapping: for PQ indexed by the code of the largest of R, G and B; for HLG by the square
    /// root of the largest light divided by 1000 cd/m².
    private let toneMappingFactors: [Float]
    /// HLG's OOTF: the factors from the light at the camera to the light of the screen, indexed by the square root of
    /// the camera light's luminance.
    private let ootfFactors: [Float]
    /// The 8-bit codes of the screen, indexed by the square root of light, which is nearly perceptually uniform.
    private let displayCodes: [UInt8]
    /// The scale and offset that convert a luma sample to 0...1.
    private let lumaConversion: (scale: Float, offset: Float)
    /// The scale and offset that convert a chroma sample to -0.5...0.5.
    private let chromaConversion: (scale: Float, offset: Float)
    /// The weights of red (Kr) and blue (Kb) in luma.
    private let kr: Float, kb: Float

    /// Returns whether a format's colours must be converted for a screen.
    static func isNeeded(for format: FrameFormat) -> Bool { colourProperties(of: format) != nil }

    /// Returns the colour mapper for a format: `existing` if it is suitable, otherwise a new one; nil if the format
    /// needs no mapper.
    static func makeIfNeeded(for format: FrameFormat, keeping existing: ColourMapper?) -> ColourMapper? {
        guard let colourProperties = colourProperties(of: format) else { return nil }
        return existing?.colourProperties == colourProperties ? existing : ColourMapper(colourProperties)
    }

    /// Returns the colour properties of a format; nil if its colours need no conversion.
    private static func colourProperties(of format: FrameFormat) -> ColourProperties? {
        let attributes = format.attributes
        let transfer: TransferFunction =
            switch attributes.transfer {
            case .pq: .pq
            case .hlg: .hlg
            default: .sdr
            }
        // HDR without stated primaries is treated as BT.2020.
        let hasBT2020Primaries =
            attributes.primaries == .bt2020 || (transfer != .sdr && attributes.primaries == .unspecified)
        guard transfer != .sdr || hasBT2020Primaries else { return nil }
        let statedPeak = Double(attributes.peakLuminance)
        let peak = transfer == .pq && (whiteLuminance...10_000).contains(statedPeak) ? statedPeak : 1000
        // The scaler converts RGB to full-range BT.2020.
        let isRGB = format.layout.pixelFormat.isRGB
        let hasMatrix = !isRGB && ![.unspecified, .rgb].contains(attributes.matrix)
        return ColourProperties(
            transfer: transfer, isFullRange: isRGB || format.isFullRange,
            peak: transfer == .sdr ? whiteLuminance : peak,
            matrix: hasMatrix ? format.likelyMatrix : .bt2020, hasBT2020Primaries: hasBT2020Primaries)
    }

    /// Computes the lookup tables for frames with the given colour properties.
    init(_ colourProperties: ColourProperties) {
        self.colourProperties = colourProperties
        let maximumIndex = Double(Self.tableSize - 1), codes = (0..<Self.tableSize).map { Double($0) / maximumIndex }
        linearLight = codes.map { code in
            switch colourProperties.transfer {
            case .pq: Float(Self.luminance(pq: code) / Self.whiteLuminance)
            case .hlg: Float(Self.sceneLight(hlg: code))
            case .sdr: Float(pow(code, 2.4))
            }
        }
        toneMappingFactors = codes.map { code in
            switch colourProperties.transfer {
            case .pq: Float(Self.toneMappingFactor(Self.luminance(pq: code), peak: colourProperties.peak))
            case .hlg: Float(Self.toneMappingFactor(code * code * 1000, peak: colourProperties.peak))
            case .sdr: 1
            }
        }
        // The OOTF of ITU-R BT.2100 for HLG on a display with a peak of 1000 cd/m². The unit is SDR white.
        ootfFactors = codes.map { Float(pow($0 * $0, 0.2) * 1000 / Self.whiteLuminance) }
        displayCodes = codes.map { UInt8((pow($0 * $0, 1 / 2.4) * 255).rounded()) }
        // Samples have 12 bits: limited range is 256...3760 for luma and 256...3840 for chroma.
        lumaConversion = colourProperties.isFullRange ? (Float(1 / maximumIndex), 0) : (1 / 3504, -256 / 3504)
        chromaConversion =
            colourProperties.isFullRange
            ? (Float(1 / maximumIndex), Float(-2048 / maximumIndex)) : (1 / 3584, -2048 / 3584)
        (kr, kb) =
            switch colourProperties.matrix {
            case .bt709: (0.2126, 0.0722)
            case .bt470BG, .smpte170M: (0.299, 0.114)
            case .fcc: (0.30, 0.11)
            case .smpte240M: (0.212, 0.087)
            default: (0.2627, 0.0593)
            }
    }

    // MARK: Curves

    /// Returns the luminance in cd/m² of a PQ code 0...1 (SMPTE ST 2084).
    static func luminance(pq code: Double) -> Double {
        let p = pow(max(code, 0), 1 / 78.84375)
        return 10_000 * pow(max(p - 0.8359375, 0) / (18.8515625 - 18.6875 * p), 1 / 0.1593017578125)
    }

    /// Returns the PQ code 0...1 of a luminance in cd/m² (SMPTE ST 2084).
    static func pq(luminance: Double) -> Double {
        let y = pow(max(luminance, 0) / 10_000, 0.1593017578125)
        return pow((0.8359375 + 18.8515625 * y) / (1 + 18.6875 * y), 78.84375)
    }

    /// Returns the light at the camera, 0...1, of an HLG code: the inverse OETF of ITU-R BT.2100.
    static func sceneLight(hlg code: Double) -> Double {
        let a = 0.17883277, b = 0.28466892, c = 0.55991073
        return code <= 0.5 ? code * code / 3 : (exp((code - c) / a) + b) / 12
    }

    /// Returns the screen luminance for `luminance` in a picture whose largest luminance is `peak`, all in cd/m²: the
    /// EETF of ITU-R BT.2390 with black at 0.
    static func toneMapped(_ luminance: Double, peak: Double) -> Double {
        guard peak > whiteLuminance else { return min(luminance, whiteLuminance) }
        let peakCode = pq(luminance: peak), e = min(pq(luminance: luminance) / peakCode, 1)
        let maximum = pq(luminance: whiteLuminance) / peakCode
        let knee = 1.5 * maximum - 0.5
        guard e > knee else { return luminance }
        let t = (e - knee) / (1 - knee), t2 = t * t, t3 = t2 * t
        let mappedCode = (2 * t3 - 3 * t2 + 1) * knee + (t3 - 2 * t2 + t) * (1 - knee) + (-2 * t3 + 3 * t2) * maximum
        return self.luminance(pq: mappedCode * peakCode)
    }

    /// Returns the factor by which tone mapping scales a luminance in cd/m².
    private static func toneMappingFactor(_ luminance: Double, peak: Double) -> Double {
        luminance > 0 ? toneMapped(luminance, peak: peak) / luminance : 1
    }

    // MARK: Drawing

    /// Converts three planes of 12-bit samples (4:4:4) to BGRX pixels.
    ///
    /// - Parameters:
    ///   - planeStride: The number of bytes from one plane of the samples to the next.
    ///   - rowStride: The number of bytes from one row of a plane to the next.
    ///   - stride: The number of bytes from one row of the target to the next.
    func draw(
        _ samples: UnsafeRawPointer, planeStride: Int, rowStride: Int, into target: UnsafeMutableRawPointer,
        size: PixelSize, stride: Int
    ) {
        let kg = 1 - kr - kb
        // The factors by which the chroma samples U and V contribute to red (r), green (g) and blue (b).
        let crv = 2 * (1 - kr), cbu = 2 * (1 - kb)
        let cgu = -cbu * kb / kg, cgv = -crv * kr / kg
        let isHLG = colourProperties.transfer == .hlg, hasBT2020Primaries = colourProperties.hasBT2020Primaries
        let scale = Float(Self.tableSize - 1), weights = SIMD3<Float>(0.2627, 0.6780, 0.0593)
        // The columns of the matrix from BT.2020 to BT.709 primaries (ITU-R BT.2087).
        let fromR = SIMD3<Float>(1.660491, -0.124550, -0.018151), fromG = SIMD3<Float>(-0.587641, 1.132900, -0.100579)
        let fromB = SIMD3<Float>(-0.072850, -0.008349, 1.118730)
        linearLight.withUnsafeBufferPointer { linearLight in
            toneMappingFactors.withUnsafeBufferPointer { toneMappingFactors in
                ootfFactors.withUnsafeBufferPointer { ootfFactors in
                    displayCodes.withUnsafeBufferPointer { displayCodes in
                        for y in 0..<size.height {
                            let lumaRow = (samples + y * rowStride).assumingMemoryBound(to: UInt16.self)
                            let chromaU = (samples + planeStride + y * rowStride).assumingMemoryBound(to: UInt16.self)
                            let chromaV =
                                (samples + 2 * planeStride + y * rowStride).assumingMemoryBound(to: UInt16.self)
                            let targetRow = (target + y * stride).assumingMemoryBound(to: UInt32.self)
                            var x = 0
                            while x < size.width {
                                let l = Float(lumaRow[x]) * lumaConversion.scale + lumaConversion.offset
                                let u = Float(chromaU[x]) * chromaConversion.scale + chromaConversion.offset,
                                    v = Float(chromaV[x]) * chromaConversion.scale + chromaConversion.offset
                                var codedColour =
                                    SIMD3<Float>(l + crv * v, l + cgu * u + cgv * v, l + cbu * u) * scale + 0.5
                                codedColour.clamp(lowerBound: .zero, upperBound: SIMD3(repeating: scale))
                                // Clamping has limited each component to 0...4095, which are the indices of the tables.
                                let (r, g, b) = (Int(codedColour.x), Int(codedColour.y), Int(codedColour.z))
                                var rgb = SIMD3<Float>(linearLight[r], linearLight[g], linearLight[b])
                                if isHLG {
                                    rgb *= ootfFactors[Int((weights * rgb).sum().squareRoot() * scale)]
                                    let maximum = min(rgb.max() * 0.203, 1)
                                    rgb *= toneMappingFactors[Int(maximum.squareRoot() * scale)]
                                } else {
                                    rgb *= toneMappingFactors[max(r, g, b)]
                                }
                                if hasBT2020Primaries { rgb = fromR * rgb.x + fromG * rgb.y + fromB * rgb.z }
                                rgb.clamp(lowerBound: .zero, upperBound: .one)
                                let indices = rgb.squareRoot() * scale + 0.5
                                targetRow[x] =
                                    UInt32(displayCodes[Int(indices.x)]) << 16
                                    | UInt32(displayCodes[Int(indices.y)]) << 8
                                    | UInt32(displayCodes[Int(indices.z)])
                                x += 1
                            }
                        }
                    }
                }
            }
        }
    }
}

private extension PixelFormat {
    /// Whether the samples are red, green and blue.
    var isRGB: Bool {
        name.hasPrefix("gb") || name.includes("rgb") || name.includes("bgr") || ["pal8", "argb", "abgr"].contains(name)
    }
}
