import CFFmpeg
import SharedFrames
import Testing

@testable import MediaPipeline

@Suite struct FormatConverterTests {
    @Test func everyPixelFormatIsSupportedOrHasASubstitute() {
        var unsupportedNames: [String] = []
        var description = av_pix_fmt_desc_next(nil)
        while let currentDescription = description {
            description = av_pix_fmt_desc_next(currentDescription)
            // Skip hardware formats: decoders use them only on request.
            if currentDescription.pointee.flags & UInt64(AV_PIX_FMT_FLAG_HWACCEL) != 0 { continue }
            let name = String(cString: currentDescription.pointee.name)
            let format = av_pix_fmt_desc_get_id(currentDescription)
            if PixelFormat(name: name) == nil, FormatConverter.substitute(for: format) == nil {
                unsupportedNames.append(name)
            }
        }
        // FFmpeg 5 cannot scale these formats; only the raw video decoder produces them.
        let knownUnsupportedNames: Set = [
            "rgb4", "bgr4", "uyyvyy411", "nv20be", "ayuv64be", "x2bgr10be", "x2rgb10be", "y210be",
        ]
        #expect(Set(unsupportedNames).subtracting(knownUnsupportedNames).isEmpty, "\(unsupportedNames)")
    }

    @Test(arguments: [
        ("yuv420p10be", "yuv420p10le"), ("monow", "gray"), ("gbrpf32le", "rgb48le"), ("grayf32be", "gray16le"),
        ("bayer_rggb8", "rgb24"),
        ("xyz12be", "rgb48le"), ("nv16", "yuv422p"), ("nv20le", "yuv422p10le"), ("gbrapf32be", "rgba64le"),
    ])
    func substituteIsTheClosestSupportedFormat(_ name: String, _ expectedName: String) {
        #expect(FormatConverter.substitute(for: av_get_pix_fmt(name))?.name == expectedName)
    }

    @Test(arguments: [("nv16", 1), ("nv20le", 2)])
    func semiPlanarChromaBecomesPlanar(_ name: String, _ bytesPerSample: Int) throws {
        guard let decodedFrame = DecodedFrame() else { throw MediaError(.outOfMemory, "no memory for a frame") }
        let frame = decodedFrame.pointer
        (frame.pointee.width, frame.pointee.height, frame.pointee.format) = (5, 3, av_get_pix_fmt(name).rawValue)
        try #require(av_frame_get_buffer(frame, 0) == 0)
        let (luma, chroma) = (try #require(frame.pointee.data.0), try #require(frame.pointee.data.1))
        for row in 0..<3 {
            for byte in 0..<(5 * bytesPerSample) {
                luma[row * Int(frame.pointee.linesize.0) + byte] = UInt8(row * 50 + byte)
            }
            for byte in 0..<(6 * bytesPerSample) {
                chroma[row * Int(frame.pointee.linesize.1) + byte] = UInt8(row * 50 + byte + 20)
            }
        }
        let stride = 32
        var output = [UInt8](repeating: 0, count: 3 * 3 * stride)
        try output.withUnsafeMutableBufferPointer { buffer in
            let baseAddress = try #require(buffer.baseAddress),
                format = try #require(FormatConverter.substitute(for: av_get_pix_fmt(name)))
            try FormatConverter().convert(
                frame, to: format, planes: (0..<3).map { (baseAddress + $0 * 3 * stride, stride) })
        }
        for row in 0..<3 {
            for byte in 0..<(5 * bytesPerSample) { #expect(output[row * stride + byte] == UInt8(row * 50 + byte)) }
            for x in 0..<3 {
                for byte in 0..<bytesPerSample {
                    #expect(
                        output[(3 + row) * stride + x * bytesPerSample + byte]
                            == UInt8(row * 50 + x * 2 * bytesPerSample + byte + 20))
                    #expect(
                        output[(6 + row) * stride + x * bytesPerSample + byte]
                            == UInt8(row * 50 + (x * 2 + 1) * bytesPerSample + byte + 20))
                }
            }
        }
    }
}
