import CFFmpeg

extension MediaOpener {
    /// Reads the whole file or address that the user requested; fails if it exceeds `limit` bytes.
    func readRoot(_ location: String, limit: Int) throws(MediaError) -> [UInt8] {
        let source = try openRoot(location)
        defer { close(source) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = avio_read(source, &chunk, Int32(chunk.count))
            if count == cffmpeg_error_eof || count == 0 { return bytes }
            guard count > 0 else { throw MediaError(ffmpeg: count, doing: "cannot be read") }
            bytes += chunk[..<Int(count)]
            guard bytes.count <= limit else {
                throw MediaError(.unsupportedFormat, "exceeds the size limit of \(limit) bytes")
            }
        }
    }
}
