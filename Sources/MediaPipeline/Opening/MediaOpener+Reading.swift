import CFFmpeg

extension MediaOpener {
    /// Reads the whole file or address that the user requested; fails if it exceeds `limit` bytes.
    func readRoot(_ location: String, limit: Int) throws(MediaError) -> [UInt8] {
        try readRoot(location, limit: limit) { _ in true }?.bytes ?? []
    }

    /// Reads the whole file or address that the user requested, if its first bytes are wanted.
    ///
    /// - Parameter isWanted: Returns whether to read the rest, given at most ``LocationReader/startByteCount`` bytes.
    /// - Returns: The bytes, and the address after redirects; nil if the content is not wanted.
    /// - Throws: `unsupportedFormat` if the content exceeds `limit` bytes; the errors of opening and reading.
    func readRoot(
        _ location: String, limit: Int, isWanted: ([UInt8]) -> Bool
    ) throws(MediaError) -> (bytes: [UInt8], address: String?)? {
        let source = try openRoot(location)
        defer { close(source) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: LocationReader.startByteCount)
        while true {
            let count = avio_read(source, &chunk, Int32(chunk.count))
            if count == cffmpeg_error_eof || count == 0 { return (bytes, address(of: source)) }
            guard count > 0 else { throw MediaError(ffmpeg: count, doing: "cannot be read") }
            let isStart = bytes.isEmpty
            bytes += chunk[..<Int(count)]
            guard bytes.count <= limit else {
                throw MediaError(.unsupportedFormat, "exceeds the size limit of \(limit) bytes")
            }
            guard isStart else { continue }
            guard isWanted(bytes) else { return nil }
            chunk = [UInt8](repeating: 0, count: 1 << 16)
        }
    }
}
