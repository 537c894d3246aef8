import CFFmpeg
import SharedFrames

/// MD5 of a frame's visible samples, plane after plane without padding: FFmpeg's `framemd5` of the same picture.
package enum FrameChecksum {
    package static func md5(of frame: VideoFrame) -> String {
        md5 { update in
            frame.withPicture { picture in
                let layout = picture.layout, format = layout.pixelFormat
                for index in layout.planes.indices {
                    let start = picture.plane(index)
                    guard index < format.planeCount else {
                        update(UnsafeRawBufferPointer(start: start, count: FrameLayout.paletteBytes))
                        continue
                    }
                    let rowBytes = format.rowBytes(plane: index, width: layout.width)
                    for row in 0..<format.rows(plane: index, height: layout.height) {
                        update(UnsafeRawBufferPointer(start: start + row * layout.planes[index].stride, count: rowBytes))
                    }
                }
            }
        }
    }

    /// Hexadecimal digits of the MD5 of all that `body` gives to its argument; empty without memory.
    static func md5(_ body: ((UnsafeRawBufferPointer) -> Void) -> Void) -> String {
        guard let state = av_md5_alloc() else { return "" }
        defer { av_free(UnsafeMutableRawPointer(state)) }
        av_md5_init(state)
        body { av_md5_update(state, $0.baseAddress?.assumingMemoryBound(to: UInt8.self), $0.count) }
        var digest = [UInt8](repeating: 0, count: 16)
        av_md5_final(state, &digest)
        return digest.map { byte in
            let text = String(byte, radix: 16)
            return byte < 16 ? "0" + text : text
        }.joined()
    }
}
