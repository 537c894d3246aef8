import Glibc
import SharedFrames

/// Brings BT.2020 and HDR colours to a BT.709 screen. Frames that are BT.709 already never come here.
///
/// PQ and HLG (ITU-R BT.2100) become light as a display would show it: PQ says it in cd/m²; HLG is shown at 1000 cd/m²,
/// with the OOTF's gamma of 1.2. What the picture uses of that (black to its stated peak: MaxCLL, else the mastering
/// display's, else 1000) is brought to 0...203 cd/m², BT.2408's diffuse white, by the EETF of ITU-R BT.2390: nothing
/// changes below the knee, above it a Hermite spline in PQ's own scale rolls off to the screen's white. The curve is
/// read at the largest of R, G and B, and all three are scaled alike, so that hues stay. Then the primaries become
/// BT.709's, what lies outside is clipped, and the light is coded for BT.1886's gamma of 2.4. SDR with BT.2020
/// primaries takes the same way without a curve.
///
/// All powers lie in tables of 4096 entries. One thread at a time.
final class ColourMapper {
    enum Transfer: Equatable { case sdr, pq, hlg }

    struct Kind: Equatable {
        var transfer: Transfer
        var isFullRange: Bool
        /// cd/m².
        var peak: Double
        /// The samples' matrix.
        var matrix: UInt8
        /// False: the primaries are BT.709's already (or nearly).
        var isWide: Bool
    }

    /// Luminance of SDR white, cd/m².
    static let white = 203.0
    private static let entries = 4096

    let kind: Kind
    /// Light of a non-linear R, G or B: 1 = SDR white (PQ and SDR), or scene light 0...1 (HLG).
    private let light: [Float]
    /// Factor on the light: for PQ by the code of the largest of R, G, B; for HLG by the square root of its light over
    /// 1000 cd/m².
    private let gain: [Float]
    /// HLG's OOTF, a factor on scene light by the square root of its luminance.
    private let ootf: [Float]
    /// 8-bit codes by the square root of light: near to even steps for the eye.
    private let codes: [UInt8]
    private let luma: (scale: Float, offset: Float)
    private let chroma: (scale: Float, offset: Float)
    private let kr: Float, kb: Float

    /// Are a format's colours other than those of a screen?
    static func isNeeded(for format: FrameFormat) -> Bool { kind(of: format) != nil }

    /// The mapper that a format needs, `old` where that will do.
    static func needed(for format: FrameFormat, keeping old: ColourMapper?) -> ColourMapper? {
        guard let kind = kind(of: format) else { return nil }
        return old?.kind == kind ? old : ColourMapper(kind)
    }

    private static func kind(of format: FrameFormat) -> Kind? {
        let attributes = format.attributes
        let transfer: Transfer =
            switch attributes.transfer {
            case 16: .pq
            case 18: .hlg
            default: .sdr
            }
        // HDR whose primaries nobody states is BT.2020.
        let isWide = attributes.primaries == 9 || (transfer != .sdr && attributes.primaries == 2)
        guard transfer != .sdr || isWide else { return nil }
        let stated = Double(attributes.peakLuminance)
        let peak = transfer == .pq && (white...10_000).contains(stated) ? stated : 1000
        // RGB comes as full-range BT.2020 from the scaler.
        let isRGB = format.layout.pixelFormat.isRGB
        return Kind(
            transfer: transfer, isFullRange: isRGB || format.isFullRange, peak: transfer == .sdr ? white : peak,
            matrix: isRGB ? 9 : attributes.matrix == 2 || attributes.matrix == 0 ? 9 : format.likelyMatrix,
            isWide: isWide)
    }

    init(_ kind: Kind) {
        self.kind = kind
        let last = Double(Self.entries - 1), codes = (0..<Self.entries).map { Double($0) / last }
        light = codes.map { code in
            switch kind.transfer {
            case .pq: Float(Self.luminance(pq: code) / Self.white)
            case .hlg: Float(Self.sceneLight(hlg: code))
            case .sdr: Float(pow(code, 2.4))
            }
        }
        gain = codes.map { code in
            switch kind.transfer {
            case .pq: Float(Self.toneGain(Self.luminance(pq: code), peak: kind.peak))
            case .hlg: Float(Self.toneGain(code * code * 1000, peak: kind.peak))
            case .sdr: 1
            }
        }
        // 1000 cd/m² at scene white; the light is counted in SDR whites afterwards.
        ootf = codes.map { Float(pow($0 * $0, 0.2) * 1000 / Self.white) }
        self.codes = codes.map { UInt8((pow($0 * $0, 1 / 2.4) * 255).rounded()) }
        // Samples are 12 bits deep: 256...3760 and 256...3840 where the range is limited.
        luma = kind.isFullRange ? (Float(1 / last), 0) : (1 / 3504, -256 / 3504)
        chroma = kind.isFullRange ? (Float(1 / last), Float(-2048 / last)) : (1 / 3584, -2048 / 3584)
        (kr, kb) =
            switch kind.matrix {
            case 1: (0.2126, 0.0722)
            case 5, 6: (0.299, 0.114)
            case 4: (0.30, 0.11)
            case 7: (0.212, 0.087)
            default: (0.2627, 0.0593)
            }
    }

    // MARK: curves

    /// SMPTE ST 2084: cd/m² of a code 0...1.
    static func luminance(pq code: Double) -> Double {
        let p = pow(max(code, 0), 1 / 78.84375)
        return 10_000 * pow(max(p - 0.8359375, 0) / (18.8515625 - 18.6875 * p), 1 / 0.1593017578125)
    }

    static func pq(luminance: Double) -> Double {
        let y = pow(max(luminance, 0) / 10_000, 0.1593017578125)
        return pow((0.8359375 + 18.8515625 * y) / (1 + 18.6875 * y), 78.84375)
    }

    /// BT.2100's inverse OETF of HLG.
    static func sceneLight(hlg code: Double) -> Double {
        let a = 0.17883277, b = 0.28466892, c = 0.55991073
        return code <= 0.5 ? code * code / 3 : (exp((code - c) / a) + b) / 12
    }

    /// BT.2390's EETF with black at 0: the luminance at which the screen shows `luminance` of a picture that goes up to
    /// `peak`.
    static func toneMapped(_ luminance: Double, peak: Double) -> Double {
        guard peak > white else { return min(luminance, white) }
        let top = pq(luminance: peak), e = min(pq(luminance: luminance) / top, 1), most = pq(luminance: white) / top
        let knee = 1.5 * most - 0.5
        guard e > knee else { return luminance }
        let t = (e - knee) / (1 - knee), t2 = t * t, t3 = t2 * t
        let mapped = (2 * t3 - 3 * t2 + 1) * knee + (t3 - 2 * t2 + t) * (1 - knee) + (-2 * t3 + 3 * t2) * most
        return self.luminance(pq: mapped * top)
    }

    private static func toneGain(_ luminance: Double, peak: Double) -> Double {
        luminance > 0 ? toneMapped(luminance, peak: peak) / luminance : 1
    }

    // MARK: drawing

    /// Turns three planes of 12-bit samples (no chroma subsampling), `plane` bytes apart with rows of `row` bytes, into
    /// BGRX pixels.
    func draw(
        _ samples: UnsafeRawPointer, plane: Int, row: Int, into target: UnsafeMutableRawPointer, size: PixelSize,
        stride: Int
    ) {
        let crv = 2 * (1 - kr), cbu = 2 * (1 - kb), kg = 1 - kr - kb
        let cgu = -cbu * kb / kg, cgv = -crv * kr / kg
        let isHLG = kind.transfer == .hlg, isWide = kind.isWide
        let top = Float(Self.entries - 1), weights = SIMD3<Float>(0.2627, 0.6780, 0.0593)
        // Columns of the matrix from BT.2020's to BT.709's primaries (BT.2087).
        let fromR = SIMD3<Float>(1.660491, -0.124550, -0.018151), fromG = SIMD3<Float>(-0.587641, 1.132900, -0.100579)
        let fromB = SIMD3<Float>(-0.072850, -0.008349, 1.118730)
        light.withUnsafeBufferPointer { light in
            gain.withUnsafeBufferPointer { gain in
                ootf.withUnsafeBufferPointer { ootf in
                    codes.withUnsafeBufferPointer { codes in
                        for y in 0..<size.height {
                            let ys = (samples + y * row).assumingMemoryBound(to: UInt16.self)
                            let us = (samples + plane + y * row).assumingMemoryBound(to: UInt16.self)
                            let vs = (samples + 2 * plane + y * row).assumingMemoryBound(to: UInt16.self)
                            let out = (target + y * stride).assumingMemoryBound(to: UInt32.self)
                            var x = 0
                            while x < size.width {
                                let l = Float(ys[x]) * luma.scale + luma.offset
                                let u = Float(us[x]) * chroma.scale + chroma.offset,
                                    v = Float(vs[x]) * chroma.scale + chroma.offset
                                var coded = SIMD3<Float>(l + crv * v, l + cgu * u + cgv * v, l + cbu * u) * top + 0.5
                                coded.clamp(lowerBound: .zero, upperBound: SIMD3(repeating: top))
                                // Within 0...4095 by the clamp.
                                let (r, g, b) = (Int(coded.x), Int(coded.y), Int(coded.z))
                                var rgb = SIMD3<Float>(light[r], light[g], light[b])
                                if isHLG {
                                    rgb *= ootf[Int((weights * rgb).sum().squareRoot() * top)]
                                    let most = min(rgb.max() * 0.203, 1)
                                    rgb *= gain[Int(most.squareRoot() * top)]
                                } else {
                                    rgb *= gain[max(r, g, b)]
                                }
                                if isWide { rgb = fromR * rgb.x + fromG * rgb.y + fromB * rgb.z }
                                rgb.clamp(lowerBound: .zero, upperBound: .one)
                                let root = rgb.squareRoot() * top + 0.5
                                out[x] =
                                    UInt32(codes[Int(root.x)]) << 16 | UInt32(codes[Int(root.y)]) << 8
                                    | UInt32(codes[Int(root.z)])
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
    /// Samples are red, green and blue.
    var isRGB: Bool {
        name.hasPrefix("gb") || name.contains("rgb") || name.contains("bgr") || ["pal8", "argb", "abgr"].contains(name)
    }
}
