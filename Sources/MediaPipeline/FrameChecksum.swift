import CFFmpeg
import SharedFrames

/// MD5 of a frame's visible samples, plane after plane without padding: FFmpeg's `framemd5` of the same picture.
package enum FrameChecksum {
    package static func md5(of frame: VideoFrame) -> String {
        guard let state = av_md5_alloc() else { return "" }
        defer { av_free(UnsafeMutableRawPointer(state)) }
        av_md5_init(state)
        frame.withPicture { picture in
            let layout = picture.layout, format = layout.pixelFormat
            for index in layout.planes.indices {
                let start = picture.plane(index)
                guard index < format.planeCount else {
                    av_md5_update(state, start.assumingMemoryBound(to: UInt8.self), FrameLayout.paletteBytes)
                    continue
                }
                let rowBytes = format.rowBytes(plane: index, width: layout.width)
                for row in 0..<format.rows(plane: index, height: layout.height) {
                    av_md5_update(state, (start + row * layout.planes[index].stride).assumingMemoryBound(to: UInt8.self), rowBytes)
                }
            }
        }
        var digest = [UInt8](repeating: 0, count: 16)
        av_md5_final(state, &digest)
        return digest.map { byte in
            let text = String(byte, radix: 16)
            return byte < 16 ? "0" + text : text
        }.joined()
    }
}
