import CFFmpeg

/// Opens a container with libavformat; a ``MediaOpener`` opens its files.
enum FormatOpening {
    /// Opens the container at `location` and installs the opener's callbacks.
    ///
    /// - Parameter context: The format context. On failure libavformat frees the context and sets this variable to nil.
    /// - Returns: FFmpeg's result code.
    static func open(
        _ context: inout UnsafeMutablePointer<AVFormatContext>?, from input: UnsafeMutablePointer<AVIOContext>?,
        _ location: String, _ opener: MediaOpener
    ) -> Int32 {
        guard let allocated = context else { return cffmpeg_error(ENOMEM) }
        opener.install(allocated)
        allocated.pointee.pb = input
        allocated.pointee.flags |= AVFMT_FLAG_CUSTOM_IO
        ReadingLimits.apply(to: allocated)
        // A playlist's segments and keys may have any file extension; the policy checks each of them.
        var options: OpaquePointer?
        defer { av_dict_free(&options) }
        av_dict_set(&options, "allowed_extensions", "ALL", 0)
        // libavformat 7.1 and later refuse segments whose file name does not have the suffix of their format.
        av_dict_set(&options, "extension_picky", "0", 0)
        // Disable the options with which libavformat's playlist reader would open its own connections.
        av_dict_set(&options, "http_persistent", "0", 0)
        av_dict_set(&options, "http_multiple", "0", 0)
        return avformat_open_input(&context, location, nil, &options)
    }
}
