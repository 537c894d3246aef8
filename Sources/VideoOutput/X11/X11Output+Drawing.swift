import SharedFrames

/// Pictures that the program draws itself, without frames of a film.
extension X11Output {
    /// Draws the whole window and shows the picture. Waits while the X server reads the previous picture.
    ///
    /// - Parameter draw: Receives the BGRX pixels, all of which it fills, their size, and their stride in bytes.
    /// - Returns: False if the window has no pixels, or memory cannot be allocated.
    package func show(_ draw: (UnsafeMutableRawPointer, PixelSize, Int) -> Void) -> Bool {
        guard !state.withLock({ $0.isDestroyed || $0.isClosed }), surface.prepare(clears: false, draw) else {
            return false
        }
        // New parts of a window that grows have this colour until they are drawn.
        setBackground(.colour(PlaceholderPicture.backgroundColour))
        return surface.present() != nil
    }
}
