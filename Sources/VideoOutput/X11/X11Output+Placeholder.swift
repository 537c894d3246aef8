import SharedFrames

/// What stands in the picture's place while that is elsewhere.
extension X11Output {
    package func showPlaceholder(_ text: String?) {
        let (controls, isUncovering) = state.withLock { state in
            // One that comes in a picture's place.
            if state.ground == .colour(0) { state.isUncovering = text != nil }
            return (state.controls, state.isUncovering)
        }
        surface.prepare { pixels, size, stride in
            if let text { drawPlaceholder(pixels, size, stride, text) }
            if let controls { Self.lay(controls, over: pixels, size, stride) }
        }
        if isUncovering, text != nil, let size = surface.presentAsGround() {
            return state.withLock { $0.ground = .placeholder(size) }
        }
        // Its memory is given back, so that it is drawn anew where it is uncovered: until then no black is seen there.
        setGround(.colour(text == nil ? 0 : PlaceholderPicture.ground))
        _ = surface.present()
        // While the picture is elsewhere its memory is not kept here.
        surface.dropBuffer()
    }

    /// What lay over the placeholder when it came has gone: its memory is given back.
    package func settlePlaceholder() {
        state.withLock { $0.isUncovering = false }
        if case .placeholder = state.withLock({ $0.ground }) { setGround(.colour(PlaceholderPicture.ground)) }
    }

    func setGround(_ ground: Ground) {
        let changes = state.withLock { state in
            defer { state.ground = ground }
            return state.ground != ground && !state.isClosed
        }
        guard changes, case .colour(let colour) = ground else { return }
        window.setGround(colour)
        connection.flush()
    }
}
