import SharedFrames

extension VideoFrame {
    /// Returns a frame with the same picture that belongs to the seek with the number `generation`.
    func withGeneration(_ generation: UInt32) -> VideoFrame {
        VideoFrame(
            id: VideoFrame.makeID(), buffer: buffer, format: format, presentationTime: presentationTime,
            duration: duration, streamTime: streamTime, generation: generation, decodedPictures: [])
    }
}
