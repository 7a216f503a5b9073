package agekit

var notices04 = []notice{}
