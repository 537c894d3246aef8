import SharedFrames

/// The placeholder in a window whose picture is shown elsewhere, for example in a Picture-in-Picture window.
extension X11Output {
    package func showPlaceholder(_ text: String?) {
        let (controls, isMoveAnimationRunning) = state.withLock { state in
            // A black background means that the window has not shown the placeholder until now.
            if state.background == .colour(0) { state.isMoveAnimationRunning = text != nil }
            return (state.controls, state.isMoveAnimationRunning)
        }
        surface.prepare { pixels, size, stride in
            if let text { drawPlaceholder(pixels, size, stride, text) }
            if let controls { Self.blend(controls, over: pixels, size, stride) }
        }
        if isMoveAnimationRunning, text != nil, let size = surface.presentAsBackground() {
            return state.withLock { $0.background = .placeholder(size) }
        }
        // Uncovered parts of the window wait for a redraw, because the buffer is released below. Until the redraw the
        // server fills these parts with this colour, so that they do not flash black.
        setBackground(.colour(text == nil ? 0 : PlaceholderPicture.backgroundColour))
        _ = surface.present()
        // The buffer is not needed while another window shows the video.
        surface.dropBuffer()
    }

    /// Releases the background pixmap once the animation that moves the picture away from the placeholder has finished.
    package func releasePlaceholder() {
        state.withLock { $0.isMoveAnimationRunning = false }
        if case .placeholder = state.withLock({ $0.background }) {
            setBackground(.colour(PlaceholderPicture.backgroundColour))
        }
    }

    /// Sets the background of the window, with which the server paints uncovered parts.
    func setBackground(_ background: Background) {
        let hasChanged = state.withLock { state in
            defer { state.background = background }
            return state.background != background && !state.isClosed
        }
        guard hasChanged, case .colour(let colour) = background else { return }
        window.setBackground(colour)
        connection.flush()
    }
}
